# Parts: kernels, workspaces and counters. One line adds one:
#
#   fl_add_part(workspace size_class size-class.c)
#
# compiles the file into the kind's library and writes one row into the generated parts.def, which
# the registry expands. The symbol is fl_<kind>_<name>.

set_property(GLOBAL PROPERTY FL_PARTS "")

function(fl_add_part kind name file)
  target_sources(fl-${kind}s PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  set_property(GLOBAL APPEND PROPERTY FL_PARTS "FL_PART(${kind}, ${name})")
endfunction()

# One file a kind, so that the registry can expand each into a table of its own type.
function(fl_write_parts)
  get_property(rows GLOBAL PROPERTY FL_PARTS)
  foreach(kind kernel workspace counter)
    set(mine ${rows})
    list(FILTER mine INCLUDE REGEX "^FL_PART\\(${kind},")
    list(JOIN mine "\n" text)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${kind}s.def
      CONTENT "/* Generated from the fl_add_part() lines; do not edit. */\n${text}\n" @ONLY)
  endforeach()
endfunction()

# A cmocka test: fl_add_test(NAME x SOURCES a.c LIBRARIES l... [LABELS ...])
function(fl_add_test)
  cmake_parse_arguments(T "" "NAME" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  if(NOT FAULTLINE_TESTS)
    return()
  endif()
  add_executable(test-${T_NAME} ${T_SOURCES})
  target_link_libraries(test-${T_NAME} PRIVATE fl-options ${T_LIBRARIES} PkgConfig::cmocka)
  set_target_properties(test-${T_NAME} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${T_NAME} COMMAND test-${T_NAME})
  set_tests_properties(${T_NAME} PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77
    LABELS "unit;${T_LABELS}")
endfunction()

# Parts: kernels, workspaces, counters, barriers, wait policies and teams. One line adds one:
#
#   fl_add_part(workspace size_class size-class.c)
#
# compiles the file into the kind's library and puts one row into the kind's generated table. The
# symbol is fl_<kind>_<name>. A barrier is compiled a second time, with its read-modify-writes
# counted, into fl-barriers-counting; there it is fl_counting_barrier_<name>.

set_property(GLOBAL PROPERTY FL_PARTS "")
set(FL_PART_KINDS kernel workspace counter barrier wait team)

# The library fl-<kind>s: its parts and their table.
function(fl_add_part_kind kind)
  add_library(fl-${kind}s STATIC ${PROJECT_BINARY_DIR}/generated/${kind}-table.c)
  target_link_libraries(fl-${kind}s PUBLIC fl-base)
  if(kind STREQUAL barrier)
    add_library(fl-barriers-counting STATIC
      ${PROJECT_BINARY_DIR}/generated/counting-barrier-table.c)
    target_compile_definitions(fl-barriers-counting PRIVATE FL_COUNT_RMW)
  endif()
endfunction()

function(fl_add_part kind name file)
  target_sources(fl-${kind}s PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  if(kind STREQUAL barrier)
    target_sources(fl-barriers-counting PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endif()
  set_property(GLOBAL APPEND PROPERTY FL_PARTS "${kind}:${name}")
endfunction()

# One table, of the parts of a kind; `prefix` stands in front of the kind in their symbols.
function(fl_write_table kind prefix)
  get_property(parts GLOBAL PROPERTY FL_PARTS)
  set(declarations "")
  set(rows "")
  foreach(part IN LISTS parts)
    if(part MATCHES "^${kind}:(.*)$")
      set(symbol "fl_${prefix}${kind}_${CMAKE_MATCH_1}")
      string(APPEND declarations "extern const struct fl_${kind}_ops ${symbol};\n")
      string(APPEND rows "    &${symbol},\n")
    endif()
  endforeach()
  string(REPLACE _ - file "${prefix}${kind}")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${file}-table.c CONTENT
"/* Generated from the fl_add_part() lines; do not edit. */
#include <stddef.h>
#include \"faultline/${kind}.h\"
${declarations}
extern const struct fl_${kind}_ops *const fl_${prefix}${kind}_table[];
const struct fl_${kind}_ops *const fl_${prefix}${kind}_table[] = {
${rows}    NULL,
};
" @ONLY)
endfunction()

# Writes the tables; called once, when every part is known.
function(fl_write_parts)
  foreach(kind IN LISTS FL_PART_KINDS)
    fl_write_table(${kind} "")
  endforeach()
  fl_write_table(barrier counting_)
endfunction()

# A program that loads plug-ins: they find what is marked FL_API in it.
function(fl_export_to_plugins target)
  target_link_options(${target} PRIVATE "-Wl,--export-dynamic-symbol=fl_*")
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

# A program beside the CMakeLists.txt that is given the build's folder and tries the programs.
#
#   fl_add_cli_test(NAME)           starts no worker: runs on every build, beside others
#   fl_add_cli_test(NAME MEASURED)  starts workers: on the release build only, alone
function(fl_add_cli_test name)
  cmake_parse_arguments(T "MEASURED" "" "" ${ARGN})
  if(NOT FAULTLINE_TESTS)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/${name} ${PROJECT_BINARY_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77 LABELS unit)
  if(T_MEASURED)
    set_tests_properties(${name} PROPERTIES LABELS measured RUN_SERIAL ON)
  endif()
endfunction()

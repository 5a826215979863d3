# Fuzzers: fl_add_fuzzer(NAME x LIBRARIES l...) in the fuzz/ folder of a part's tests takes
# fuzz-x.c and the folder x-corpus/ beside it.
#
# With FAULTLINE_FUZZ (preset `fuzz`, clang) it builds bin/fuzz-x on libFuzzer; scripts/fuzz runs
# them. Every other build links the same code with a plain main that feeds it the corpus, so that a
# mistake once found stays found with any compiler. Either way the test `fuzz-x` is that replay.
if(FAULTLINE_FUZZ AND NOT CMAKE_C_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "FAULTLINE_FUZZ needs clang: use the preset fuzz")
endif()
if(FAULTLINE_FUZZ)
  add_custom_target(fuzzers)
  file(WRITE ${PROJECT_BINARY_DIR}/fuzzers "") # NAME CORPUS of each, for scripts/fuzz
  target_compile_options(fl-options INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(fl-options INTERFACE -fsanitize=fuzzer-no-link)
endif()

function(fl_add_fuzzer)
  cmake_parse_arguments(F "" "NAME" "LIBRARIES" ${ARGN})
  if(NOT FAULTLINE_TESTS)
    return()
  endif()
  set(target fuzz-${F_NAME})
  set(corpus ${CMAKE_CURRENT_SOURCE_DIR}/${F_NAME}-corpus)
  add_executable(${target} ${target}.c)
  target_link_libraries(${target} PRIVATE fl-options ${F_LIBRARIES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/scripts/tests/fuzz)
  if(FAULTLINE_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${target})
    add_test(NAME ${target} COMMAND ${target} -runs=0 ${corpus})
    file(APPEND ${PROJECT_BINARY_DIR}/fuzzers "${F_NAME} ${corpus}\n")
  else()
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/scripts/tests/fuzz/replay-corpus.c)
    set_target_properties(${target} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    add_test(NAME ${target} COMMAND ${target} ${corpus})
  endif()
  set_tests_properties(${target} PROPERTIES TIMEOUT 120 LABELS "unit;fuzz")
endfunction()

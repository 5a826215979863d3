# Is qemu-user recognised, and a real processor not taken for it?
add_executable(emulator-check tests/emulator-check.c)
target_link_libraries(emulator-check PRIVATE fl-machine)
set_target_properties(emulator-check PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
add_test(NAME emulator-absent COMMAND emulator-check none)
set_tests_properties(emulator-absent PROPERTIES LABELS unit)

find_program(FL_AARCH64_GCC aarch64-linux-gnu-gcc)
find_program(FL_QEMU_AARCH64 NAMES qemu-aarch64 qemu-aarch64-static)
if(FL_AARCH64_GCC AND FL_QEMU_AARCH64)
  set(program ${PROJECT_BINARY_DIR}/tests/emulator-check-aarch64)
  set(sources tests/emulator-check.c host.c sysfile.c procfile.c)
  list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_custom_command(OUTPUT ${program} DEPENDS ${sources}
    COMMAND ${FL_AARCH64_GCC} -static -std=c11 -D_GNU_SOURCE -I${PROJECT_SOURCE_DIR}/harness
            -I${PROJECT_SOURCE_DIR}/harness/include ${sources} -o ${program})
  add_custom_target(emulator-check-aarch64 ALL DEPENDS ${program})
  add_test(NAME emulator-found COMMAND ${FL_QEMU_AARCH64} ${program} qemu-user)
  set_tests_properties(emulator-found PROPERTIES LABELS unit)
else()
  fl_left_out("the test of qemu-user"
    "apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user")
endif()

# Compiler settings of every target of ours, as the interface library `fl-options`.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
# The same file is compiled once for all builds that agree on it.
find_program(FL_CCACHE ccache)
if(FL_CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${FL_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${FL_CCACHE})
endif()
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# Asserts stay on in release: they stand outside the measured window.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g")

add_library(fl-options INTERFACE)
target_compile_definitions(fl-options INTERFACE _GNU_SOURCE)
target_include_directories(fl-options INTERFACE ${PROJECT_SOURCE_DIR}/harness/include)
target_compile_options(fl-options INTERFACE
  -fno-omit-frame-pointer -fno-common -fvisibility=hidden
  -Wall -Wextra -Wpedantic -Wshadow -Wformat=2 -Wundef -Wwrite-strings -Wpointer-arith
  -Wdouble-promotion -Wvla
  $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation> # one-line messages are cut on purpose
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition>
  $<$<BOOL:${FAULTLINE_WERROR}>:-Werror>)
if(FAULTLINE_SANITIZE)
  target_compile_options(fl-options INTERFACE
    -fsanitize=${FAULTLINE_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(fl-options INTERFACE -fsanitize=${FAULTLINE_SANITIZE})
  target_compile_definitions(fl-options INTERFACE FL_SANITIZED=1)
endif()
if(FAULTLINE_COVERAGE)
  target_compile_options(fl-options INTERFACE --coverage)
  target_link_options(fl-options INTERFACE --coverage)
endif()

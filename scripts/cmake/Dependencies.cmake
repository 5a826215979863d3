# Packages. A missing required one stops the configuration and names the Debian package; a missing
# optional one leaves something out, and fl_report_dependencies() says what and why. The packages
# themselves, and what each is for, stand in scripts/packages.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

set(FL_LEFT_OUT "" CACHE INTERNAL "what the build leaves out")

function(fl_left_out what why)
  set(FL_LEFT_OUT ${FL_LEFT_OUT} "${what}: ${why}" CACHE INTERNAL "what the build leaves out")
endfunction()

# "apt-get install NAME (what for)" from the row of scripts/packages that has the package.
function(fl_install_hint package hint)
  string(REGEX REPLACE "([.+])" "\\\\\\1" pattern ${package})
  file(STRINGS ${PROJECT_SOURCE_DIR}/scripts/packages rows
    REGEX "^[a-z]+ +([^ ]+\\|)*${pattern}(\\|[^ ]+)* ")
  if(NOT rows)
    message(FATAL_ERROR "scripts/packages has no package ${package}")
  endif()
  list(GET rows 0 row)
  string(REGEX REPLACE "^[a-z]+ +[^ ]+ +" "" reason "${row}")
  set(${hint} "apt-get install ${package} (${reason})" PARENT_SCOPE)
endfunction()

function(fl_report_dependencies)
  if(NOT FL_LEFT_OUT)
    message(STATUS "faultline: nothing is left out of this build")
  endif()
  foreach(line IN LISTS FL_LEFT_OUT)
    message(STATUS "faultline: left out: ${line}")
  endforeach()
endfunction()

# Sets <prefix>::<prefix> from pkg-config or stops, naming the package to install.
function(fl_require name module package)
  pkg_check_modules(${name} IMPORTED_TARGET GLOBAL ${module})
  if(NOT ${name}_FOUND)
    fl_install_hint(${package} hint)
    message(FATAL_ERROR "faultline needs ${module}: ${hint}")
  endif()
endfunction()

find_package(benchmark QUIET)
if(NOT benchmark_FOUND)
  fl_install_hint(libbenchmark-dev hint)
  message(FATAL_ERROR "faultline needs Google Benchmark: ${hint}")
endif()
fl_require(sqlite3 sqlite3 libsqlite3-dev)
fl_require(json-c json-c libjson-c-dev)
fl_require(libxml-2.0 libxml-2.0 libxml2-dev)
fl_require(inih inih libinih-dev)
fl_require(hwloc hwloc libhwloc-dev)

# libpfm4 ships no pkg-config file in Debian.
find_path(PFM_INCLUDE_DIR perfmon/pfmlib_perf_event.h)
find_library(PFM_LIBRARY pfm)
if(NOT PFM_INCLUDE_DIR OR NOT PFM_LIBRARY)
  fl_install_hint(libpfm4-dev hint)
  message(FATAL_ERROR "faultline needs libpfm4: ${hint}")
endif()
add_library(fl-pfm INTERFACE)
target_include_directories(fl-pfm SYSTEM INTERFACE ${PFM_INCLUDE_DIR})
target_link_libraries(fl-pfm INTERFACE ${PFM_LIBRARY})

# Without cmocka the programs are built all the same.
if(FAULTLINE_TESTS)
  pkg_check_modules(cmocka IMPORTED_TARGET GLOBAL cmocka)
  if(NOT cmocka_FOUND)
    fl_install_hint(libcmocka-dev hint)
    fl_left_out("tests" "cmocka is missing, ${hint}")
    set(FAULTLINE_TESTS OFF)
  endif()
endif()

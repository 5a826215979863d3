# The shim's source goes along, so that `faultline ab --base eigen=DIR` can compile it against other
# headers (harness/runner/eigen-build.c has the same flags).
configure_file(eigen-shim.cc ${PROJECT_BINARY_DIR}/share/faultline/eigen-shim.cc COPYONLY)
install(FILES eigen-shim.cc DESTINATION ${CMAKE_INSTALL_DATADIR}/faultline)

# One shim for each instruction set of the target processor. The library is what is measured: it is
# optimised as a user's own would be.
# Only release builds have it: three shims take minutes to compile, and no other build measures.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  fl_left_out("library=eigen" "only release builds compile the shims over Eigen")
  return()
endif()
find_package(Eigen3 3.3 QUIET NO_MODULE)
if(NOT TARGET Eigen3::Eigen)
  fl_left_out("library=eigen" "Eigen is not installed (apt-get install libeigen3-dev)")
  return()
endif()

function(fl_add_eigen_shim isa)
  set(target faultline-eigen-${isa})
  add_library(${target} SHARED eigen-shim.cc)
  target_link_libraries(${target} PRIVATE Eigen3::Eigen)
  target_compile_options(${target} PRIVATE -O3 -g0 -Wall -Wextra -Wpedantic ${ARGN}
    $<$<BOOL:${FAULTLINE_WERROR}>:-Werror>
    # gcc 12 takes the undefined lanes in its own AVX-512 intrinsics for uninitialized variables.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> -Wno-uninitialized)
  target_compile_definitions(${target} PRIVATE NDEBUG FL_SHIM_ISA="${isa}")
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set_property(GLOBAL APPEND PROPERTY FL_EIGEN_SHIMS ${target})
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  fl_add_eigen_shim(portable)
  fl_add_eigen_shim(avx2 -mavx2 -mfma)
  fl_add_eigen_shim(avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mavx2 -mfma)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  fl_add_eigen_shim(neon)
else()
  fl_left_out("library=eigen" "no instruction set is listed for ${CMAKE_SYSTEM_PROCESSOR}")
endif()

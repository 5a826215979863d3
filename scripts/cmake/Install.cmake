# What `cmake --install` copies (the probe and the shims over Eigen install themselves), and the
# target `programs`, which is everything but the tests.
#
#   bin/                    faultline, faultline-worker
#   lib/                    the probe library, the bindings to Google Benchmark
#   include/faultline/      public headers
#   lib/pkgconfig/          faultline.pc (for plug-ins), faultline-gbench.pc
#   share/faultline/        scenarios, the schema of the store, the source of the shim over Eigen
#   share/doc/faultline/    README.md, LICENSE, docs/

add_custom_target(programs)
get_property(shims GLOBAL PROPERTY FL_EIGEN_SHIMS)
foreach(target fl-probe ${shims})
  if(TARGET ${target})
    add_dependencies(programs ${target})
  endif()
endforeach()
foreach(target faultline faultline-worker fl-gbench)
  if(TARGET ${target})
    add_dependencies(programs ${target})
    install(TARGETS ${target}
      RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()

# Relative to the file itself, so that `cmake --install --prefix` and moved trees work.
file(RELATIVE_PATH FL_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(file faultline.pc faultline-gbench.pc)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${file}.in ${PROJECT_BINARY_DIR}/generated/${file} @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/generated/${file}
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
# The build folder serves plug-ins as the installed tree does.
set(FL_PC_TO_PREFIX ../..)
configure_file(${CMAKE_CURRENT_LIST_DIR}/faultline.pc.in
  ${PROJECT_BINARY_DIR}/lib/pkgconfig/faultline.pc @ONLY)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/harness/include
  ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_INCLUDEDIR} SYMBOLIC)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/harness/include/faultline
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios
  DESTINATION ${CMAKE_INSTALL_DATADIR}/faultline FILES_MATCHING PATTERN "*.ini"
  PATTERN tests EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/results/schema.sql ${PROJECT_SOURCE_DIR}/results/schema-2.sql
  DESTINATION ${CMAKE_INSTALL_DATADIR}/faultline)
# Laid out as in the source tree, so that the links between the pages hold.
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "*.md")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/plugin-example
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(FILES ${PROJECT_SOURCE_DIR}/kernels/TEMPLATE.c
  DESTINATION ${CMAKE_INSTALL_DATADIR}/faultline RENAME kernel-template.c)

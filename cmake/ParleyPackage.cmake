# The installed package: `find_package(parley)` gives a target for each component, its static
# libraries, and the public headers.
#
#   parley::embedded   a broker inside a program (parley/broker.h, parley/tools.h)
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
find_package(tl-expected CONFIG REQUIRED)

set(PARLEY_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/parley)

# parley_component(NAME FOLDERS folder …): the target parley::NAME, which links these folders.
function(parley_component name)
  cmake_parse_arguments(ARG "" "" "FOLDERS" ${ARGN})
  add_library(parley_component_${name} INTERFACE)
  set_target_properties(parley_component_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(parley_component_${name} INTERFACE cxx_std_20)
  target_link_libraries(parley_component_${name} INTERFACE tl::expected)
  parley_link(parley_component_${name} INTERFACE ${ARG_FOLDERS})

  set(targets parley_component_${name})
  foreach(folder IN LISTS ARG_FOLDERS)
    set_target_properties(parley_${folder} PROPERTIES EXPORT_NAME folder_${folder})
    list(APPEND targets parley_${folder})
  endforeach()
  install(TARGETS ${targets} EXPORT parley-${name}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${name})
  install(EXPORT parley-${name} FILE parley-${name}.cmake NAMESPACE parley::
    DESTINATION ${PARLEY_PACKAGE_DIR} COMPONENT ${name})
endfunction()

parley_component(embedded FOLDERS base text core dialect store broker client)

configure_package_config_file(cmake/parley-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/parley-config.cmake INSTALL_DESTINATION ${PARLEY_PACKAGE_DIR})
# Before 1.0 a minor version may change the API.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/parley-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/parley-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/parley-config-version.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindUtf8proc.cmake
  DESTINATION ${PARLEY_PACKAGE_DIR} COMPONENT embedded)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/parley DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT embedded FILES_MATCHING PATTERN "*.h")

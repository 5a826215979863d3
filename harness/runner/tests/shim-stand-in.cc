// SPDX-License-Identifier: Apache-2.0
// In place of the shim, which takes a minute to compile.
#include <Eigen/Core>

extern "C" __attribute__((visibility("default"))) int fl_eigen_version(stand_in unused)
{
    return unused;
}

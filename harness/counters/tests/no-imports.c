/* SPDX-License-Identifier: Apache-2.0 */
/* A library that can neither lock nor allocate: what the probe cannot observe. */
int no_imports_run(void);

__attribute__((visibility("default"))) int no_imports_run(void)
{
    return 1;
}

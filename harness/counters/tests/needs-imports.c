/* SPDX-License-Identifier: Apache-2.0 */
/* A library that imports no mutex itself, but needs one that does. */
int has_imports_run(int times);
int needs_imports_run(void);

__attribute__((visibility("default"))) int needs_imports_run(void)
{
    return has_imports_run(0);
}

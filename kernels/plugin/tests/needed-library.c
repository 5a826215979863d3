/* SPDX-License-Identifier: Apache-2.0 */
/* A library that a plug-in is linked with and that is gone when it is loaded. */
int fl_needed_function(void);
int fl_needed_function(void)
{
    return 1;
}

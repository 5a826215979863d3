/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of quantised products on AArch64. */
#include <stdio.h>
#include <stdlib.h>

#include "q4-cases.h"

int main(void)
{
    enum fl_isa isa = FL_ISA_COUNT;
    struct fl_err err = {""};
    unsigned sets;

    if (fl_isa_choose_dot("auto", &isa, &err) || isa != FL_ISA_NEON) {
        fprintf(stderr, "want NEON, got '%s' %s\n", fl_isa_name(isa), err.text);
        return EXIT_FAILURE;
    }
    if (q4_run_cases(&sets))
        return EXIT_FAILURE;
    printf("all quantised products equal the reference\n");
    return EXIT_SUCCESS;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reporter that hands Google Benchmark's rows to C callbacks. It prints nothing.
 */
#ifndef FAULTLINE_GBENCH_REPORT_HH
#define FAULTLINE_GBENCH_REPORT_HH

#include <vector>

#include "gbench-internal.hh"

class fl_c_reporter final : public benchmark::BenchmarkReporter
{
  public:
    explicit fl_c_reporter(const struct fl_reporter &callbacks) : reporter(callbacks)
    {
    }
    bool ReportContext(const Context &context) override;
    void ReportRuns(const std::vector<Run> &rows) override;
    void Finalize() override;

  private:
    const struct fl_reporter reporter;
};

#endif

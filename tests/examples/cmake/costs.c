/* Every workload row of every operator linked in: op, case, flops, bytes. */
#include <inttypes.h>
#include <stdio.h>

#include "registry.h"

int main(void) {
  for (const roofline_op *const *op = my_ops; *op != NULL; op++)
    for (int32_t i = 0; i < (*op)->row_count; i++) {
      roofline_row_call row;
      roofline_cost cost;
      roofline_status status = roofline_row_open(*op, i, &row);
      if (status == ROOFLINE_OK) status = roofline_eval(row.call, &cost);
      if (status != ROOFLINE_OK) {
        fprintf(stderr, "%s: %s\n", (*op)->rows[i].case_id, roofline_status_name(status));
        return 1;
      }
      printf("%s\t%s\t%" PRId64 "\t%" PRId64 "\n", (*op)->name, (*op)->rows[i].case_id, cost.flops,
             cost.bytes);
      roofline_row_close(&row);
    }
  return 0;
}

/** One entry of a validation error's `detail` list. */
export type ValidationIssue = { loc: (string | number)[]; msg: string; type: string }

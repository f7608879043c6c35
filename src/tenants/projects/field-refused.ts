import { validationProblemOf } from '../../contract/validation-problem.ts'

/** The problem of a member of the body that names something impossible. */
export function fieldRefused(field: string, msg: string) {
  return validationProblemOf([{ loc: ['body', field], msg, type: 'value_error' }])
}

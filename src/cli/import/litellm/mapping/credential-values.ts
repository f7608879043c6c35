import { MODEL_PARAMS } from './model-params.ts'
import type { Row } from './row.ts'

/** `credential_list[]`. Its values are parameters of the models that name the entry. */
export const CREDENTIAL_LIST: readonly Row[] = [
  ['credential_name', 'exact', 'the models that name it have its values'],
  ['credential_info', 'approximate', 'is of no use here'],
]

export const CREDENTIAL_VALUES: readonly Row[] = MODEL_PARAMS

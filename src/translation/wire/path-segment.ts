import { problem } from '../../contract/problems.ts'

/**
 * A name that a caller chose, as one segment of a path. No name may lead to another address: a segment of only dots would,
 * because URL parsers resolve it.
 */
export function pathSegment(name: string, refusal: () => Error = noSuchModel): string {
  if (/^\.*$/.test(name)) throw refusal()
  return encodeURIComponent(name.toWellFormed())
}

function noSuchModel(): Error {
  return problem('model_not_found')
}

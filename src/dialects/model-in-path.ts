/** A caller may name any model: no name may lead to another address. */
export function modelInPath(model: string): string {
  return encodeURIComponent(model.toWellFormed())
}

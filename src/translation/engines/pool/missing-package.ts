const CODES = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']
/** `Cannot find package 'a'…` comes from an import, `Cannot find module 'a/b'…` from a require; a path is not a package. */
const NAMED = /Cannot find (?:package|module) '((?:@[\w.-]+\/)?[\w][\w.-]*)/

/** For packages whose absence shows in other ways. */
export class MissingPackage extends Error {
  override readonly name = 'MissingPackage'
}

/** The name of the missing package, if that is the cause of the error. */
export function missingPackage(error: unknown): string | undefined {
  if (error instanceof MissingPackage) return error.message
  const { code = '', message = '' } = error as NodeJS.ErrnoException
  return CODES.includes(code) ? NAMED.exec(message)?.[1] : undefined
}

const CODES = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']
/** `Cannot find package 'a'…` of an import, `Cannot find module 'a/b'…` of a require; a path is no package. */
const NAMED = /Cannot find (?:package|module) '((?:@[\w.-]+\/)?[\w][\w.-]*)/

/** For packages that are told to be missing by other signs. */
export class MissingPackage extends Error {
  override readonly name = 'MissingPackage'
}

/** The package that is not installed, where that is what went wrong. */
export function missingPackage(error: unknown): string | undefined {
  if (error instanceof MissingPackage) return error.message
  const { code = '', message = '' } = error as NodeJS.ErrnoException
  return CODES.includes(code) ? NAMED.exec(message)?.[1] : undefined
}

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'

export type TlsFiles = { certFile: string; keyFile: string }

/** A certificate with its chain, and its private key, as PEM. */
export type TlsPair = { cert: string; key: string; expiresAt: string }

/** The files cannot be used. The message names the setting and the file, and nothing of their content. */
export class TlsFilesError extends Error {}

/** Reads both files and checks that they belong together. */
export async function readTlsPair({ certFile, keyFile }: TlsFiles): Promise<TlsPair> {
  const cert = await read('TLS_CERT_FILE', certFile)
  const key = await read('TLS_KEY_FILE', keyFile)
  const certificate = attempt(() => new X509Certificate(cert), `TLS_CERT_FILE: ${certFile} has no certificate (PEM)`)
  const keyProblem = `TLS_KEY_FILE: ${keyFile} has no private key (PEM, without a passphrase)`
  const privateKey = attempt(() => createPrivateKey(key), keyProblem)
  if (!certificate.checkPrivateKey(privateKey))
    throw new TlsFilesError(`TLS_KEY_FILE: ${keyFile} is not the key of the first certificate in ${certFile}`)
  attempt(() => createSecureContext({ cert, key }), `TLS_CERT_FILE: ${certFile} cannot be used`)
  return { cert, key, expiresAt: certificate.validToDate.toISOString() }
}

async function read(variable: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new TlsFilesError(`${variable}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function attempt<T>(action: () => T, problem: string): T {
  try {
    return action()
  } catch (error) {
    throw new TlsFilesError(`${problem}: ${(error as NodeJS.ErrnoException).code ?? 'not valid'}`)
  }
}

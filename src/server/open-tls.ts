import type { Logger } from 'pino'
import type { Config } from '../platform/config/config.ts'
import { ConfigError } from '../platform/config/config-error.ts'
import { TlsCertificate } from '../platform/net/tls/tls-certificate.ts'

/** The certificate of the listeners, if the operator gives one. */
export async function openTls({ tlsCertFile, tlsKeyFile }: Config, log: Logger): Promise<TlsCertificate | undefined> {
  if (!tlsCertFile || !tlsKeyFile) return undefined
  return await TlsCertificate.open({ certFile: tlsCertFile, keyFile: tlsKeyFile }, log).catch((error: Error) => {
    throw new ConfigError(error.message)
  })
}

import { type KeyObject, verify } from 'node:crypto'

// The algorithm of a token chooses the kind of key, never the other way round: a token that says HS256 must not be checked
// with a public key as if that were a secret, and `none` is no signature.

type Algorithm = {
  kty: string
  crv?: string
  digest: string | null
  /** The length of every signature in bytes; undefined if it depends on the key. */
  signatureBytes?: number
}

const ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  RS256: { kty: 'RSA', digest: 'sha256' },
  ES256: { kty: 'EC', crv: 'P-256', digest: 'sha256', signatureBytes: 64 },
  EdDSA: { kty: 'OKP', crv: 'Ed25519', digest: null, signatureBytes: 64 },
}

export type AlgorithmName = 'RS256' | 'ES256' | 'EdDSA'

export function isAllowed(alg: string): alg is AlgorithmName {
  return Object.hasOwn(ALGORITHMS, alg)
}

/** The algorithm that a public key is for; undefined for a key that we do not use. */
export function algorithmOf({
  kty,
  crv,
  alg,
}: {
  kty: unknown
  crv: unknown
  alg: unknown
}): AlgorithmName | undefined {
  const [name] = Object.entries(ALGORITHMS).find(([, one]) => one.kty === kty && one.crv === crv) ?? []
  const isNamed = alg === undefined || alg === name || (name === 'EdDSA' && alg === 'Ed25519')
  return isNamed ? (name as AlgorithmName | undefined) : undefined
}

/** Runs in Node's thread pool, because a signature takes up to a tenth of a millisecond. */
export function isSigned(alg: AlgorithmName, key: KeyObject, signed: string, signature: Buffer): Promise<boolean> {
  const { digest, signatureBytes } = ALGORITHMS[alg]!
  if (signatureBytes !== undefined && signature.length !== signatureBytes) return Promise.resolve(false)
  return new Promise((resolve) => {
    verify(digest, Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }, signature, (error, isValid) => {
      resolve(!error && isValid)
    })
  })
}

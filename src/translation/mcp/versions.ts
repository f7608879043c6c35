// The revisions of the protocol. The newest one has no handshake: each request carries its version. The others begin with
// `initialize`, after which a header names the version that was agreed.

/** The newest revision. */
export const MODERN_VERSION = '2026-07-28'

/** The revisions with a handshake, the newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const

export type LegacyVersion = (typeof LEGACY_VERSIONS)[number]
export type ProtocolVersion = typeof MODERN_VERSION | LegacyVersion

/** What the gateway speaks, the newest first. */
export const SUPPORTED_VERSIONS: readonly ProtocolVersion[] = [MODERN_VERSION, ...LEGACY_VERSIONS]

/** The revision of a request without the header, which came with the revision after this one. */
export const VERSION_WITHOUT_HEADER: LegacyVersion = '2025-03-26'

/** The only revision in which several messages may be one body. */
export const BATCHING_VERSION: LegacyVersion = '2025-03-26'

export function isLegacyVersion(version: unknown): version is LegacyVersion {
  return LEGACY_VERSIONS.some((one) => one === version)
}

export function isSupported(version: unknown): version is ProtocolVersion {
  return version === MODERN_VERSION || isLegacyVersion(version)
}

/** What a server answers to `initialize`: the version that was asked for, if it is known, otherwise its newest. */
export function agreedVersion(asked: unknown): LegacyVersion {
  return isLegacyVersion(asked) ? asked : LEGACY_VERSIONS[0]
}

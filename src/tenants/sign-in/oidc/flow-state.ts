import { isRecord } from '../../../base/schema/record.ts'
import type { Secrets } from '../../../platform/secrets/secrets.ts'

// What the gateway has to remember between the two halves of a sign-in stands in a cookie of the browser, sealed with the key
// of the installation. So the answer of the provider may reach any process, and a flood of begun sign-ins fills no table.

const NAME = 'sign-in'
export const FLOW_SECONDS = 600

/** Between the way to the provider and the way back. */
export type Flow = {
  /** The name of the provider in the config file. */
  provider: string
  state: string
  nonce: string
  verifier: string
  redirectUri: string
  expiresAt: number
  /** The id of the user who gets the identity, and has proved to be this user; undefined for a sign-in. */
  linkTo: string | undefined
}

type Sealing = Pick<Secrets, 'sealed' | 'opened'>

export function sealFlow(flow: Flow, secrets: Sealing): string {
  return secrets.sealed(NAME, JSON.stringify(flow)).sealed
}

/** Undefined if it was not sealed by this installation, or is too old. */
export function openFlow(text: string, secrets: Sealing, now: number): Flow | undefined {
  try {
    const flow: unknown = JSON.parse(secrets.opened({ name: NAME, sealed: text, fingerprint: '' }))
    return isRecord(flow) && Number(flow.expiresAt) > now ? (flow as Flow) : undefined
  } catch {
    return undefined
  }
}

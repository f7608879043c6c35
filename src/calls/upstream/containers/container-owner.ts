import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CallServices } from '../../services/call-services.ts'
import type { Opened } from '../../../platform/late.ts'

// A container of a provider is in the operator's account, which all callers share. So its id is signed for the owner whose
// call created it, and only that owner can use it again.

/** Without the secret (see ResultLinks), containers are not signed, so no caller can use them again. */
export type ContainerOwner = { owner: string; secret: Opened<string>; now(): number }

type Attempted = { call: { caller: { owner: string } }; services: Pick<CallServices, 'links' | 'now'> }

export function containerOwner({ call, services: { links, now } }: Attempted): ContainerOwner {
  return { owner: call.caller.owner, secret: links.secret, now }
}

/** Undefined without the secret. */
export function signatureOf(id: string, { owner, secret }: ContainerOwner): string | undefined {
  const key = secret.current
  if (key === undefined) return undefined
  return createHmac('sha256', key)
    .update(JSON.stringify(['container', owner, id]))
    .digest('base64url')
}

export function isSignature(given: string, id: string, owner: ContainerOwner): boolean {
  const signature = signatureOf(id, owner)
  if (signature === undefined) return false
  const [expected, actual] = [Buffer.from(signature), Buffer.from(given)]
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

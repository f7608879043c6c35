import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AppContext } from '../../app/context.ts'

// A container of a provider is in the operator's account, which all callers share. So its id is signed for the owner whose
// call created it, and only that owner can use it again.

/** Without the secret (see ResultLinks), containers are not signed, so no caller can use them again. */
export type ContainerOwner = { owner: string; secret(): string | undefined; now(): number }

type Attempted = { call: { caller: { owner: string } }; context: Pick<AppContext, 'links' | 'now'> }

export function containerOwner({ call, context: { links, now } }: Attempted): ContainerOwner {
  return { owner: call.caller.owner, secret: links.secret, now }
}

/** Undefined without the secret. */
export function signatureOf(id: string, { owner, secret }: ContainerOwner): string | undefined {
  const key = secret()
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

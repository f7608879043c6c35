import type { FastifyRequest } from 'fastify'
import Type from '../base/schema/type.ts'
import { validator } from '../base/schema/validator.ts'
import { digestOf } from '../tenants/access/api-keys.ts'
import type { Caller } from '../tenants/access/caller.ts'
import { keyOfToday } from '../tenants/access/policy-of-today.ts'
import { tokenOf } from './auth.ts'
import type { HttpServices } from './route.ts'

// An address that works without a key carries the permission of the key or the token that asked for it. What is written down of that
// is enough to ask again, in any process, whether it still holds, and not enough to send a request.

const text = Type.String()
const HeldTokenSchema = Type.Object({
  identity: Type.Object({
    issuer: text,
    subject: text,
    entry: text,
    user: text,
    project: text,
    scopes: Type.Union([Type.Array(text), Type.Null()]),
  }),
  until: Type.Number(),
  alg: Type.Union([Type.Literal('RS256'), Type.Literal('ES256'), Type.Literal('EdDSA')]),
  kid: Type.Optional(text),
})
/** A key of the store by its id, a key of the configuration by its digest, or a token of an issuer. */
const Permission = Type.Union([
  Type.Object({ key: text }),
  Type.Object({ fixed: text }),
  Type.Object({ token: HeldTokenSchema }),
])
const permissions = validator(Permission)

export async function permissionOf(request: FastifyRequest, { calls, tenants }: HttpServices): Promise<string> {
  return JSON.stringify(await found())

  async function found() {
    const key = await keyOfToday(request.caller.keyId, calls)
    if (key) return { key: key.keyId }
    const sent = tokenOf(request) ?? ''
    const token = tenants.jwtCallers.held(sent)
    return token ? { token } : { fixed: digestOf(sent) }
  }
}

/** Its bearer, with what it may do now. Undefined if the key or the token has ended. */
export async function callerWith(permission: string, { calls, tenants }: HttpServices): Promise<Caller | undefined> {
  const held: unknown = JSON.parse(permission)
  if (!permissions.check(held)) return undefined
  if ('key' in held) return await keyOfToday(held.key, calls)
  if ('fixed' in held) return tenants.keyCache.fixed(held.fixed)
  return await tenants.jwtCallers.callerOf(held.token)
}

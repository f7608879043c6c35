import { closed } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { checkSection } from './section.ts'

const Settings = Type.Object({ signIn: Type.Optional(Type.Boolean()) }, closed)

/** `signIn`: people sign in with coding agents, at `/v3/claude` and `/v3/device`. Without it, there is nothing at these addresses. */
export type AgentSettings = { signIn: boolean }

/** Reads `agents` of the config file. */
export function readAgents(value: unknown): AgentSettings {
  if (value === undefined) return { signIn: false }
  checkSection('agents', Settings, value)
  const { signIn = false } = value as Static<typeof Settings>
  return { signIn }
}

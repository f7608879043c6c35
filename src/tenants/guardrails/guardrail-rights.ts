import { CHECKS } from '../../translation/guardrails/checks.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import type { Database } from '../../platform/store/database.ts'
import { findHolderScopes } from '../../platform/store/limits/holder-scopes.ts'
import type { Actor } from '../people/actor.ts'
import { INSTALLATION, may, type Owned } from '../people/may.ts'
import { notYours } from '../people/people-services.ts'

// A guardrail of a project or of one of its keys belongs to the project, one of an organization to the organization, and one for all to
// the installation. Only those who could have set a guardrail may change it: the manager of a project cannot lift what the
// organization has set. They can add one beside it, and all hold.

/** With which rights a guardrail was set. The strongest is last. */
const LEVELS = ['project', 'organization', 'installation'] as const
export type GuardrailLevel = (typeof LEVELS)[number]

type Asking = { db: Database; actor: Actor }
type Subject = Pick<Guardrail, 'appliesTo' | 'checks'> & { setBy?: GuardrailLevel | undefined }

export async function visibleGuardrails<Held extends Pick<Guardrail, 'appliesTo'>>(
  guardrails: readonly Held[],
  { db, actor }: Asking,
): Promise<Held[]> {
  const scopeOf = await scopesOf(guardrails, db)
  return guardrails.filter((guardrail) => may(actor, 'guardrails.read', scopeOf(guardrail)))
}

/**
 * Throws unless the actor may change all of these: what a guardrail was, and what it becomes. Returns with which rights the last one
 * is set.
 */
export async function demandChange(subjects: readonly Subject[], { db, actor }: Asking): Promise<GuardrailLevel> {
  const scopeOf = await scopesOf(subjects, db)
  let level: GuardrailLevel | undefined
  for (const subject of subjects) {
    level = levelOf(actor, scopeOf(subject))
    if (level === undefined) throw notYours(NOT_YOURS)
    if (LEVELS.indexOf(subject.setBy ?? 'project') > LEVELS.indexOf(level)) throw notYours(SET_ABOVE)
    demandOutside(subject, actor)
  }
  return level!
}

/** Throws if a check asks a service outside of the gateway, and the actor may not choose one. */
export function demandOutside({ checks }: Pick<Guardrail, 'checks'>, actor: Actor): void {
  const asksOutside = checks.some(({ name }) => CHECKS[name].kind === 'remote')
  if (asksOutside && !may(actor, 'guardrails.write', INSTALLATION)) throw notYours(SENDS_OUT)
}

const NOT_YOURS =
  'Your role only allows you to change guardrails of your organization, of your projects and of their keys.'
const SET_ABOVE =
  'This guardrail was set by a person whose role reaches further than yours. Add another one beside it: all of them hold.'
/** It names an address and a secret of the installation. */
const SENDS_OUT = 'Checks by services outside of the gateway can only be set by a role on the organization `default`.'

function levelOf(actor: Actor, scope: Owned): GuardrailLevel | undefined {
  if (may(actor, 'guardrails.write', { organization: scope.organization }))
    return may(actor, 'guardrails.write', INSTALLATION) ? 'installation' : 'organization'
  return may(actor, 'guardrails.write', scope) ? 'project' : undefined
}

async function scopesOf(
  guardrails: readonly Pick<Guardrail, 'appliesTo'>[],
  db: Database,
): Promise<(guardrail: Pick<Guardrail, 'appliesTo'>) => Owned> {
  const scopes = new Map<string, Owned>()
  for (const kind of ['key', 'project'] as const) {
    const ids = guardrails.flatMap(({ appliesTo: { holder, id } }) => (holder === kind && id !== null ? [id] : []))
    for (const { id, organization, project } of await findHolderScopes(db, kind, [...new Set(ids)]))
      scopes.set(`${kind}:${id}`, { organization, project })
  }
  return ({ appliesTo: { holder, id } }) => {
    if (holder === 'organization' && id !== null) return { organization: id }
    return scopes.get(`${holder}:${id}`) ?? INSTALLATION
  }
}

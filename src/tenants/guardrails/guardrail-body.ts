import type { GuardrailBody } from '../../contract/admin/guardrails.ts'
import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import type { StoredGuardrail } from '../../platform/store/guardrails/stored-guardrails.ts'

/** A guardrail in the spelling of the admin API. Those of the config file are set by the installation. */
export function bodyOfGuardrail(guardrail: Guardrail, stored: StoredGuardrail | undefined): GuardrailBody {
  const { id, name, ownedBy, appliesTo, models, endpoints, phases, checks, action, message } = guardrail
  return {
    id,
    owned_by: ownedBy,
    set_by: (stored?.setBy ?? 'installation') as GuardrailBody['set_by'],
    ...(name !== null && { name }),
    applies_to: appliesTo.id === null ? appliesTo.holder : `${appliesTo.holder}:${appliesTo.id}`,
    ...(models && { models: [...models] }),
    ...(endpoints && { endpoints: [...endpoints] }),
    phases: [...phases],
    checks: checks.map((check) => ({ check: check.name, ...check.params })),
    action,
    on_error: guardrail.onError,
    timeout_ms: guardrail.timeoutMs,
    sample: guardrail.sample,
    mode: guardrail.mode,
    respond: guardrail.respond,
    ...(message !== null && { message }),
    created_at: stored ? new Date(stored.createdAt).toISOString() : null,
    updated_at: stored ? new Date(stored.updatedAt).toISOString() : null,
  }
}

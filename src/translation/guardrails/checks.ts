import type { CheckName } from '../../contract/admin/guardrails.ts'
import type { Check } from './check.ts'
import patterns from './local/patterns.ts'
import personalData from './local/personal-data.ts'
import secrets from './local/secrets.ts'
import anonymization from './model/anonymization.ts'
import injection from './model/injection.ts'
import judge from './model/judge.ts'
import llamaGuard from './model/llama_guard.ts'
import moderation from './model/moderation.ts'
import promptGuard from './model/prompt_guard.ts'
import azureContentSafety from './remote/azure_content_safety.ts'
import bedrock from './remote/bedrock.ts'
import external from './remote/external.ts'
import lakera from './remote/lakera.ts'
import modelArmor from './remote/model_armor.ts'
import presidio from './remote/presidio.ts'

/**
 * All checks by their names, which the contract lists in the order in which they run: what is inside of the gateway, then what
 * rewrites, then what only judges. A check that rewrites sees what those before it have left, so what is removed here is sent
 * nowhere else.
 */
export const CHECKS: Readonly<Record<CheckName, Check>> = {
  patterns,
  secrets,
  personal_data: personalData,
  anonymization,
  moderation,
  injection,
  prompt_guard: promptGuard,
  llama_guard: llamaGuard,
  presidio,
  bedrock,
  azure_content_safety: azureContentSafety,
  model_armor: modelArmor,
  lakera,
  external,
  judge,
}

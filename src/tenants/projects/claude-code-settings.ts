import { ClaudeCodeSettings } from '../../contract/admin/claude-code-settings.ts'
import { validationProblemOf } from '../../contract/validation-problem.ts'
import { nearestName } from '../../base/schema/nearest-name.ts'
import { KB } from '../../base/units/units.ts'

const MAX_BYTES = 64 * KB

/**
 * What the schema cannot say. A name that is nearly a known one is a mistake: Claude Code would drop it, and what it was to restrict would
 * not be restricted. Other names pass, because Claude Code has settings that this gateway does not know.
 */
export function checkClaudeCodeSettings(settings: ClaudeCodeSettings): void {
  const known = Object.keys(ClaudeCodeSettings.properties)
  for (const name of Object.keys(settings)) {
    const meant = known.includes(name) ? undefined : nearestName(name, known)
    if (meant !== undefined) throw refused(`Unknown setting of Claude Code. Did you mean ${meant}?`, name)
  }
  if (Buffer.byteLength(JSON.stringify(settings)) > MAX_BYTES)
    throw refused(`Managed settings have at most ${MAX_BYTES / KB} KB`)
}

function refused(msg: string, ...names: string[]) {
  return validationProblemOf([{ loc: ['body', 'claude_code_settings', ...names], msg, type: 'value_error' }])
}

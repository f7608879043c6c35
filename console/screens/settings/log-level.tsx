import { useState } from 'preact/hooks'
import type { ConfigReport, LogLevel } from '../../../src/contract/admin/config.ts'
import { sendJson } from '../../api/client.ts'
import { may } from '../../api/session.ts'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'

const LEVELS: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
const CONFIGURED = ''

type Props = { level: ConfigReport['log_level']; onChanged: () => void }

/** What is logged now, and a choice if the person may change it. */
export function LogLevelChoice({ level: { in_use: now, set: stored }, onChanged }: Props) {
  return (
    <>
      <h3>Log level</h3>
      <p>
        <b>{now}</b> <span class="faint">{stored === null ? 'from the configuration' : 'set by an operator'}</span>
      </p>
      {may('config.write') && <Choice stored={stored} onChanged={onChanged} />}
    </>
  )
}

function Choice({ stored, onChanged }: { stored: string | null; onChanged: () => void }) {
  const [chosen, setChosen] = useState<LogLevel | ''>(levelNamed(stored))
  const [error, setError] = useState<Error>()
  const set = () => {
    setError(undefined)
    sendJson('PATCH', '/admin/config', { log_level: chosen || null }).then(() => {
      toast(chosen ? `The log level is ${chosen}.` : 'The log level is set by the configuration.')
      onChanged()
    }, setError)
  }
  return (
    <>
      <div class="filters">
        <label>
          Level of all processes
          <select value={chosen} onChange={(event) => setChosen(levelNamed(event.currentTarget.value))}>
            {LEVELS.map((level) => (
              <option key={level} value={level}>
                {level}
              </option>
            ))}
            <option value={CONFIGURED}>as configured</option>
          </select>
        </label>
        <button type="button" onClick={set}>
          Apply
        </button>
      </div>
      <p class="faint">
        Takes effect immediately here and within seconds in other processes. Overrides the configured level.
      </p>
      <Failure error={error} />
    </>
  )
}

function levelNamed(name: string | null): LogLevel | typeof CONFIGURED {
  return LEVELS.find((level) => level === name) ?? CONFIGURED
}

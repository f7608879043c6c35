import { useState } from 'preact/hooks'
import type { LogLevel } from '../../../src/contract/config.ts'
import { sendJson } from '../../api/client.ts'
import { Failure } from '../../parts/notice.tsx'
import { toast } from '../../parts/toast.tsx'

const LEVELS: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
const CONFIGURED = ''

/** The API does not say which level an operator has set before, so nothing is claimed about it here. */
export function LogLevelChoice() {
  const [chosen, setChosen] = useState<LogLevel | ''>('info')
  const [error, setError] = useState<Error>()
  const set = () => {
    setError(undefined)
    sendJson('PATCH', '/admin/config', { log_level: chosen || null }).then(
      () => toast(chosen ? `The log level is ${chosen}.` : 'The log level is that of the configuration.'),
      setError,
    )
  }
  return (
    <>
      <h3>Log level</h3>
      <div class="filters">
        <label>
          All processes log
          <select value={chosen} onChange={(event) => setChosen(event.currentTarget.value as LogLevel | '')}>
            {LEVELS.map((level) => (
              <option key={level} value={level}>
                {level}
              </option>
            ))}
            <option value={CONFIGURED}>as configured</option>
          </select>
        </label>
        <button type="button" onClick={set}>
          Set
        </button>
      </div>
      <p class="faint">
        At once here, within seconds elsewhere. It wins over the configured level until it is set again.
      </p>
      <Failure error={error} />
    </>
  )
}

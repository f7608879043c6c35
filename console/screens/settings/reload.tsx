import { useState } from 'preact/hooks'
import type { ReloadReport } from '../../../src/contract/admin/config.ts'
import { sendJson } from '../../api/client.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icons/icon.tsx'
import { Failure, Loading } from '../../parts/notice.tsx'

/** Reads the config file again. A file that is not valid changes nothing, and the gateway says what is wrong with it. */
export function Reload({ onReloaded }: { onReloaded: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const [report, setReport] = useState<ReloadReport>()
  const [error, setError] = useState<Error>()
  const reload = () => {
    setOpen(true)
    setReport(undefined)
    setError(undefined)
    sendJson('POST', '/admin/config/reload').then((done) => {
      setReport(done)
      onReloaded()
    }, setError)
  }
  return (
    <>
      <button type="button" onClick={reload}>
        <Icon name="refresh" /> Reload config file
      </button>
      {isOpen && (
        <Dialog title="Reload config file" onClose={() => setOpen(false)}>
          <Failure error={error} />
          {!report && !error && <Loading what="the config file" />}
          {report && <Result of={report} />}
        </Dialog>
      )}
    </>
  )
}

function Result({ of: { changed, needs_restart: late, processes } }: { of: ReloadReport }) {
  return (
    <>
      <p>The configuration is in use in {processes === 1 ? 'one process' : `${processes} processes`}.</p>
      <h3>Changed</h3>
      <Names names={changed} none="No changes." />
      <h3>Pending restart</h3>
      <Names names={late} none="None." />
    </>
  )
}

function Names({ names, none }: { names: readonly string[]; none: string }) {
  if (names.length === 0) return <p class="faint">{none}</p>
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code>
        </li>
      ))}
    </ul>
  )
}

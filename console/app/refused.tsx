import { Empty } from '../parts/notice.tsx'
import { ScreenHead } from '../parts/screen-head.tsx'

export function Refused() {
  return (
    <>
      <ScreenHead title="No access" />
      <Empty title="You don't have access to this page">
        <p>Ask an owner or an admin of this gateway for a role that includes it.</p>
      </Empty>
    </>
  )
}

export function Unknown() {
  return (
    <>
      <ScreenHead title="Page not found" />
      <Empty title="There is no page at this address">
        <p>
          <a href="/">Back to the overview</a>.
        </p>
        <p>
          Everything that the gateway can do is in the admin API: <a href="/docs">documentation</a>.
        </p>
      </Empty>
    </>
  )
}

export function Outdated() {
  return (
    <>
      <ScreenHead title="Reload the page" />
      <Empty title="This screen could not be loaded">
        <p>The gateway may have been updated or restarted since this page was opened.</p>
        <button type="button" onClick={() => location.reload()}>
          Reload page
        </button>
      </Empty>
    </>
  )
}

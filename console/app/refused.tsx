import { Empty } from '../parts/notice.tsx'
import { ScreenHead } from '../parts/screen-head.tsx'

export function Refused() {
  return (
    <>
      <ScreenHead title="Not for your role" />
      <Empty title="Your role does not open this screen">
        <p>Ask an owner or an admin of this gateway. The menu has everything that you may see.</p>
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
          The menu has everything that you may see. <a href="/">Back to the overview</a>.
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
      <ScreenHead title="Please load the page again" />
      <Empty title="This screen could not be loaded">
        <p>The gateway may have been updated or restarted since this page was opened.</p>
        <button type="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </Empty>
    </>
  )
}

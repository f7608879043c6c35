import { ScreenHead } from '../../parts/screen-head.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { Views } from '../../parts/views.tsx'
import { AlertList } from './alert-list.tsx'
import { Rules } from './rules.tsx'

const VIEWS = { '': 'Alerts', rules: 'Rules and receivers' }

/** What has happened, what is watched, and who is told. */
export default function Alerts() {
  const { query } = useQuery()
  return (
    <>
      <ScreenHead title="Alerts">
        <Views path="/alerts" views={VIEWS} />
      </ScreenHead>
      {query.view === 'rules' ? <Rules /> : <AlertList />}
    </>
  )
}

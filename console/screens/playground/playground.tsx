import { Failure } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { Views } from '../../parts/views.tsx'
import { Chat } from './chat.tsx'
import { Image } from './image.tsx'
import { usePayers } from './payers.ts'
import { Speech } from './speech.tsx'
import { Tasks } from './tasks.tsx'
import { WhoFields } from './who-fields.tsx'

const VIEWS = { '': 'Chat', task: 'Tasks', image: 'Images', speech: 'Speech' }
const SHARED = ['project', 'kind']

/** Models for the person who has signed in, with their own rights and the budget of the project. */
export default function Playground() {
  const { query, change } = useQuery()
  const { payers = [], error } = usePayers()
  const who = { project: query.project ?? payers[0]?.id, kind: query.kind }
  return (
    <>
      <ScreenHead title="Playground">
        <Views path="/playground" views={VIEWS} keeps={SHARED} />
      </ScreenHead>
      <Failure error={error} />
      <div class="filters">
        <WhoFields who={who} payers={payers} change={change} />
      </div>
      {query.view === 'task' && <Tasks who={who} />}
      {query.view === 'image' && <Image who={who} />}
      {query.view === 'speech' && <Speech who={who} />}
      {!query.view && <Chat who={who} />}
    </>
  )
}

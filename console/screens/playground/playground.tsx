import type { ComponentType } from 'preact'
import { Failure, Loading } from '../../parts/notice.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { useQuery } from '../../parts/use-query.ts'
import { Views } from '../../parts/views.tsx'
import { Chat } from './chat/chat.tsx'
import { Image } from './media/image.tsx'
import { Speech } from './media/speech.tsx'
import { Transcription } from './media/transcription.tsx'
import { Tasks } from './tasks/tasks.tsx'
import { usePayers } from '../../parts/payers.ts'
import { WhoFields } from './who/who-fields.tsx'
import type { BenchProps } from './workbench.tsx'

const VIEWS = { '': 'Chat', image: 'Images', speech: 'Speech', transcription: 'Transcription', task: 'Tasks' }
const SHARED = ['project', 'kind']

const BENCHES: Readonly<Record<string, ComponentType<BenchProps>>> = {
  '': Chat,
  image: Image,
  speech: Speech,
  transcription: Transcription,
  task: Tasks,
}

/** A workbench for models, for the person who has signed in: with their own rights and the budget of the project. */
export default function Playground() {
  const { query } = useQuery()
  const { payers, error } = usePayers()
  const view = query.view && query.view in BENCHES ? query.view : ''
  const Bench = BENCHES[view]!
  const who = { project: query.project ?? payers?.[0]?.id, kind: query.kind }
  return (
    <>
      <ScreenHead title="Playground">
        <Views path="/playground" views={VIEWS} keeps={SHARED} />
      </ScreenHead>
      <Failure error={error} />
      {!payers && !error && <Loading what="projects" />}
      {payers && <Bench who={who} settings={<WhoFields who={who} payers={payers} />} />}
    </>
  )
}

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { ModelList } from '../../../../src/contract/models.ts'
import type { PathOf } from '../../../api/client.ts'
import { useAnswer } from '../../../api/use-answer.ts'
import { useQuery } from '../../../parts/use-query.ts'
import type { Who } from '../who/who-fields.tsx'
import { choiceOf, defaultModel, type ModelChoice, SANDBOX } from './model-choice.ts'
import { recentModels, rememberModels } from './recent-models.ts'

const MAX_MODELS = 4

/** The models of a view: which there are, and which are asked. */
export type Models = {
  /** Undefined until it is known what can be called. */
  choices: readonly ModelChoice[] | undefined
  chosen: readonly string[]
  /** Undefined if there is no room for another one. */
  add: ((id: string) => void) | undefined
  replace: (at: number, id: string) => void
  /** Undefined for the only one. */
  remove: ((at: number) => void) | undefined
  /** Loads what is not set up, too. Undefined if the gateway does not list it. */
  showAll: (() => void) | undefined
  isAllShown: boolean
  error: Error | undefined
}

/** One to four models. The address has those that were chosen; the first one is one that works. */
export function useChosen(
  choices: readonly ModelChoice[] | undefined,
): Pick<Models, 'choices' | 'chosen' | 'add' | 'replace' | 'remove'> {
  const { query, change } = useQuery()
  // What is used meanwhile must not exchange the model of a conversation.
  const recent = useMemo(recentModels, [])
  const usual = useMemo(() => (choices ? defaultModel(choices, recent) : undefined), [choices, recent])
  const chosen = query.models ? query.models.split(',').slice(0, MAX_MODELS) : usual === undefined ? [] : [usual]
  const set = (models: readonly string[]) => change({ models: models.join(',') }, true)
  return {
    choices,
    chosen,
    add: chosen.length < MAX_MODELS ? (id) => set([...chosen, id]) : undefined,
    replace: (at, id) => set(chosen.with(at, id)),
    remove: chosen.length > 1 ? (at) => set(chosen.toSpliced(at, 1)) : undefined,
  }
}

type ModelsPath = Extract<PathOf<'GET'>, `/admin/playground/${string}models`>
type Listed = ModelList['data'][number]
const NONE: readonly ModelChoice[] = []
const isAny = () => true

/** `others` are undefined while they are not known yet. */
type Offered = { isOffered?: (model: Listed) => boolean; others?: readonly ModelChoice[] | undefined }

/** The models of an endpoint, and some more that do the same in another way. */
export function useModels(path: ModelsPath, who: Who, { isOffered = isAny, ...more }: Offered = {}): Models {
  const others = 'others' in more ? more.others : NONE
  const [isAllShown, setAllShown] = useState(false)
  const { value, error } = useAnswer(path, { ...who, ...(isAllShown && { all: true }) })
  const choices = useMemo(
    () => value && others && [...value.data.filter(isOffered).map(choiceOf), ...others],
    [value, isOffered, others],
  )
  return { ...useChosen(choices), showAll: () => setAllShown(true), isAllShown, error }
}

/** For the next visit. The sandbox is left as soon as there is something real. */
export function useRemembered(chosen: readonly string[], isRunning: boolean): void {
  useEffect(() => {
    if (isRunning) rememberModels(chosen.filter((id) => !id.split('/').includes(SANDBOX)))
  }, [isRunning])
}

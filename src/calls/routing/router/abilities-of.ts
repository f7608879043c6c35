import type { Capability, Modality, Model } from '../../../platform/catalog/catalog.ts'
import { ABILITIES, type Ability } from './ability.ts'

/** A model whose catalog entry has no tier counts as average. */
const UNKNOWN_QUALITY = 3

export type Abilities = {
  lacks: readonly Ability[]
  /** No source says that the model can do this, but it may work. */
  unsure: readonly Ability[]
  reasoning: boolean
  /** 1 (weak) to 5 (strong). */
  quality: number
}

type Answer = 'yes' | 'no' | 'unsure'

/** A model that is not in the catalog gets the benefit of the doubt, because the caller or the operator named it. */
export function abilitiesOf(model: Model | undefined): Abilities {
  const answers = ABILITIES.map((ability) => ({ ability, answer: answerOf(model, ability) }))
  const those = (expected: Answer) => answers.filter(({ answer }) => answer === expected).map(({ ability }) => ability)
  return {
    lacks: those('no'),
    unsure: those('unsure'),
    reasoning: model?.can.includes('reasoning') ?? false,
    quality: model?.quality ?? UNKNOWN_QUALITY,
  }
}

function answerOf(model: Model | undefined, ability: Ability): Answer {
  const lacks: readonly string[] | undefined = model?.traits?.lacks
  if (lacks?.includes(ability)) return 'no'
  // Every dialect has streams, so a model has them unless its catalog entry says otherwise.
  if (ability === 'streaming') return 'yes'
  return model ? REPORTED[ability](model) : 'unsure'
}

const REPORTED: Record<Exclude<Ability, 'streaming'>, (model: Model) => Answer> = {
  vision: (model) => yesOr('no', can(model, 'vision') || takes(model, 'image')),
  // A model that sees images often reads documents too, though few sources say so.
  files: (model) => yesOr(can(model, 'vision') ? 'unsure' : 'no', can(model, 'files') || takes(model, 'file')),
  audio_input: (model) => yesOr('no', can(model, 'audio') || takes(model, 'audio')),
  audio_output: (model) => yesOr('no', gives(model, 'audio')),
  image_output: (model) => yesOr('no', gives(model, 'image')),
  tools: (model) => yesOr('no', can(model, 'tools')),
  json_schema: (model) => yesOr('unsure', can(model, 'json_schema')),
  json_schema_with_tools: () => 'yes',
  web_search: (model) => yesOr('unsure', can(model, 'web_search')),
}

function yesOr(otherwise: Answer, reported: boolean): Answer {
  return reported ? 'yes' : otherwise
}

function can(model: Model, capability: Capability): boolean {
  return model.can.includes(capability)
}

function takes({ modalities }: Model, modality: Modality): boolean {
  return modalities?.input.includes(modality) === true
}

function gives({ modalities }: Model, modality: Modality): boolean {
  return modalities?.output.includes(modality) === true
}

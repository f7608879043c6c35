import { type Category, contentCategoryOf, type Subcategory } from '../fields/content-categories.ts'
import { likelihoodOf } from '../fields/likelihood.ts'
import { score } from '../fields/score.ts'

/** Labels of the clouds, in lower case, besides those that other providers share. */
const LABELS: Readonly<Record<string, [Category, Subcategory]>> = {
  profanity: ['Toxic', 'Profanity'],
  derogatory: ['Toxic', 'Derogatory'],
  'public safety': ['Content', 'PublicSafety'],
  health: ['Content', 'Health'],
  medical: ['Content', 'Medical'],
  politics: ['Content', 'Politics'],
  legal: ['Content', 'Legal'],
  law: ['Content', 'Legal'],
  explicit: ['Content', 'Explicit'],
  'middle finger': ['Content', 'MiddleFinger'],
  spoof: ['Other', 'Spoof'],
  financial: ['Finance', 'Finance'],
  selfharm: ['Violence', 'PhysicalViolence'],
  'self-harm': ['Violence', 'PhysicalViolence'],
  'self harm': ['Violence', 'PhysicalViolence'],
  graphic: ['Violence', 'GraphicViolenceOrGore'],
  'graphic violence or gore': ['Violence', 'GraphicViolenceOrGore'],
  'graphic violence': ['Violence', 'GraphicViolenceOrGore'],
  'visually disturbing': ['Violence', 'GraphicViolenceOrGore'],
  'death and emaciation': ['Violence', 'GraphicViolenceOrGore'],
  'weapon violence': ['Violence', 'WeaponViolence'],
  violence_or_threat: ['Violence', 'Violence'],
  violence_and_threats: ['Violence', 'Violence'],
  hate_speech: ['HateAndExtremism', 'Hate'],
  hate_and_discrimination: ['HateAndExtremism', 'Hate'],
  'hate symbols': ['HateAndExtremism', 'Extremist'],
  extremist: ['HateAndExtremism', 'Extremist'],
  harassment_or_abuse: ['HateAndExtremism', 'Harassment'],
  'explicit nudity': ['Sexual', 'Nudity'],
  'exposed male genitalia': ['Sexual', 'Nudity'],
  'exposed female genitalia': ['Sexual', 'Nudity'],
  'exposed female nipple': ['Sexual', 'Nudity'],
  'exposed buttocks or anus': ['Sexual', 'Nudity'],
  'non-explicit nudity': ['Sexual', 'PartialNudity'],
  'non-explicit nudity of intimate parts and kissing': ['Sexual', 'PartialNudity'],
  'implied nudity': ['Sexual', 'PartialNudity'],
  'explicit sexual activity': ['Sexual', 'SexualActivity'],
  'sexual activity': ['Sexual', 'SexualActivity'],
  'sex toys': ['Sexual', 'AdultToys'],
  'adult toys': ['Sexual', 'AdultToys'],
  'swimwear or underwear': ['Sexual', 'RevealingClothes'],
  'revealing clothes': ['Sexual', 'RevealingClothes'],
  'drugs & tobacco': ['DrugAndAlcohol', 'DrugProducts'],
  products: ['DrugAndAlcohol', 'DrugProducts'],
  'drugs & tobacco paraphernalia & use': ['DrugAndAlcohol', 'DrugUse'],
  'drug use': ['DrugAndAlcohol', 'DrugUse'],
  tobacco: ['DrugAndAlcohol', 'Tobacco'],
  'tobacco products': ['DrugAndAlcohol', 'Tobacco'],
  smoking: ['DrugAndAlcohol', 'Smoking'],
  alcohol: ['DrugAndAlcohol', 'Alcohol'],
  'alcohol use': ['DrugAndAlcohol', 'Drinking'],
  drinking: ['DrugAndAlcohol', 'Drinking'],
  'alcoholic beverages': ['DrugAndAlcohol', 'Alcohol'],
  'rude gestures': ['Toxic', 'Obscene'],
}

/** One finding. The likelihood is computed from the rounded score, so that both agree. */
export function contentFinding(label: string, value: number) {
  const likelihood_score = score(value)
  return { label, likelihood: likelihoodOf(likelihood_score), likelihood_score, ...categoriesOf(label) }
}

function categoriesOf(label: string): ReturnType<typeof contentCategoryOf> {
  const plainLabel = label.toLowerCase().replaceAll(',', '')
  if (!Object.hasOwn(LABELS, plainLabel)) return contentCategoryOf(plainLabel)
  const [category, subcategory] = LABELS[plainLabel]!
  return { category, subcategory }
}

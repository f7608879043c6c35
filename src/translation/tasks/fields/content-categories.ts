import { words } from '../../../base/schema/fields.ts'

const SUBCATEGORIES = {
  Toxic: ['Insult', 'Obscene', 'Derogatory', 'Profanity', 'Threat', 'Toxic'],
  Content: ['MiddleFinger', 'PublicSafety', 'Health', 'Explicit', 'QRCode', 'Medical', 'Politics', 'Legal'],
  Sexual: [
    'SexualActivity',
    'SexualSituations',
    'Nudity',
    'PartialNudity',
    'Suggestive',
    'AdultToys',
    'RevealingClothes',
    'Sexual',
  ],
  Violence: ['GraphicViolenceOrGore', 'PhysicalViolence', 'WeaponViolence', 'Violence'],
  DrugAndAlcohol: ['DrugProducts', 'DrugUse', 'Tobacco', 'Smoking', 'Alcohol', 'Drinking'],
  Finance: ['Gambling', 'Finance', 'MoneyContent'],
  HateAndExtremism: ['Hate', 'Harassment', 'Threatening', 'Extremist', 'Racy'],
  Safe: ['Safe', 'NotSafe'],
  Other: ['Spoof', 'Religion', 'Offensive', 'Other'],
} as const

export type Category = keyof typeof SUBCATEGORIES
export type Subcategory = (typeof SUBCATEGORIES)[Category][number]

export const CATEGORIES = Object.keys(SUBCATEGORIES) as Category[]

export const CategoryField = words(CATEGORIES, { description: 'What kind of content it is.' })
export const SubcategoryField = words(Object.values(SUBCATEGORIES).flat())

/** The labels of providers, in lower case. */
const LABELS: Partial<Record<Subcategory, string[]>> = {
  Insult: ['insult'],
  Obscene: ['obscene', 'obscene_gesture_content'],
  Toxic: ['toxic', 'severe_toxic'],
  Sexual: ['sexual', 'porn_content', 'adult', 'sexually explicit'],
  Nudity: ['nudity', 'graphic male nudity', 'graphic female nudity'],
  PartialNudity: ['partial nudity', 'barechested male'],
  Suggestive: ['suggestive', 'sexually suggestive'],
  GraphicViolenceOrGore: ['violence/graphic', 'gore', 'death harm & tragedy', 'corpses', 'hanging'],
  PhysicalViolence: ['self-harm', 'self-harm/intent', 'self-harm/instructions', 'physical violence'],
  WeaponViolence: ['firearms & weapons', 'war & conflict', 'weapons'],
  Violence: ['violent', 'violence'],
  DrugProducts: ['illicit drugs', 'drug', 'drug products', 'pills'],
  Gambling: ['gambling'],
  Finance: ['finance'],
  Hate: ['hate', 'identity_hate'],
  Harassment: ['harassment'],
  Threatening: ['hate/threatening', 'harassment/threatening'],
  Extremist: ['extremist', 'nazi party', 'white supremacy'],
  Racy: ['racy'],
  NotSafe: ['nsfw', 'unsafe'],
  Religion: ['religion & belief'],
  Offensive: ['offensive'],
}

const SUBCATEGORY_OF_LABEL = new Map(
  Object.entries(LABELS).flatMap(([subcategory, labels]) =>
    labels.map((label) => [label, subcategory as Subcategory] as const),
  ),
)

/** The category of a provider's label. The subcategory is null if the label matches none. */
export function contentCategoryOf(label: string): { category: Category; subcategory: Subcategory | null } {
  const lowerCased = label.toLowerCase()
  if (lowerCased === 'sexual/minors') return { category: 'Sexual', subcategory: null }
  const subcategory = lowerCased.endsWith('swimwear or underwear') ? 'Suggestive' : SUBCATEGORY_OF_LABEL.get(lowerCased)
  return subcategory ? { category: categoryHaving(subcategory), subcategory } : { category: 'Other', subcategory: null }
}

function categoryHaving(subcategory: Subcategory): Category {
  return CATEGORIES.find((category) => SUBCATEGORIES[category].some((one) => one === subcategory))!
}

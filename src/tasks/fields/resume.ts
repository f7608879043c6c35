import Type from '../../schema/type.ts'
import { nullable } from '../../schema/fields.ts'
import { closedObject } from '../closed-object.ts'
import { nullableFields } from '../nullable-fields.ts'

// The spellings of `sufix`, `appartment_number` and `martial_status` are the ones that clients know.

const Text = Type.String()

const Location = closedObject(
  nullableFields(Text, {
    formatted_location: 'Whole address, tidied.',
    postal_code: 'Postal code.',
    region: 'Region or state.',
    country: 'Country.',
    country_code: 'Country as an ISO code.',
    raw_input_location: 'The address as it is written in the document.',
    street: 'Street.',
    street_number: 'House number.',
    appartment_number: 'Number of the flat.',
    city: 'City.',
  }),
)

const Name = closedObject(
  nullableFields(Text, {
    first_name: 'Given name.',
    last_name: 'Family name.',
    raw_name: 'The name as it is written in the document.',
    middle: 'Middle name.',
    title: 'Title, such as Dr.',
    prefix: 'What stands before the name.',
    sufix: 'What stands after the name.',
  }),
  'Name of the person.',
)

const Person = closedObject(
  {
    name: Name,
    address: nullable(Location, 'Where the person lives.'),
    ...nullableFields(Text, {
      self_summary: 'How the person sums themselves up.',
      objective: 'What the person is looking for.',
      date_of_birth: 'When the person was born.',
      place_of_birth: 'Where the person was born.',
    }),
    phones: Type.Array(Text, { description: 'Telephone numbers.' }),
    mails: Type.Array(Text, { description: 'E-mail addresses.' }),
    urls: Type.Array(Text, { description: 'Web addresses.' }),
    fax: Type.Array(Text, { description: 'Fax numbers.' }),
    ...nullableFields(Text, {
      current_profession: 'What the person works as now.',
      gender: 'Gender.',
      nationality: 'Nationality.',
      martial_status: 'Whether married.',
      current_salary: 'What the person earns now.',
      availability: 'From when the person is free.',
    }),
  },
  'Who the person is.',
)

const PERIOD = { title: 'Degree or position.', start_date: 'When it began.', end_date: 'When it ended.' }

const Education = closedObject({
  ...nullableFields(Text, PERIOD),
  location: nullable(Location, 'Where it was.'),
  ...nullableFields(Text, {
    establishment: 'School or university.',
    description: 'What is said about it.',
    gpa: 'Grade average.',
    accreditation: 'Accreditation of the degree.',
  }),
})

const Work = closedObject({
  ...nullableFields(Text, { ...PERIOD, company: 'Employer.' }),
  location: nullable(Location, 'Where it was.'),
  ...nullableFields(Text, {
    description: 'What is said about it.',
    type: 'Kind of employment.',
    industry: 'Industry of the employer.',
  }),
})

function mentions(description: string) {
  const Mention = closedObject({
    name: Type.String({ description: 'What it is called.' }),
    ...nullableFields(Text, { type: 'What kind it is.' }),
  })
  return Type.Array(Mention, { description })
}

const SpokenLanguage = closedObject({
  name: Type.String({ description: 'What it is called.' }),
  ...nullableFields(Text, { code: 'Its ISO code.' }),
})

/** The fields of a curriculum vitae. */
export const Resume = closedObject(
  {
    personal_infos: Person,
    education: closedObject(
      {
        ...nullableFields(Type.Integer(), { total_years_education: 'Years of education in all.' }),
        entries: Type.Array(Education, { description: 'One entry per school or degree.' }),
      },
      'What the person learnt.',
    ),
    work_experience: closedObject(
      {
        ...nullableFields(Text, { total_years_experience: 'Years of work in all.' }),
        entries: Type.Array(Work, { description: 'One entry per position.' }),
      },
      'Where the person worked.',
    ),
    languages: Type.Array(SpokenLanguage, { description: 'Languages the person speaks.' }),
    skills: mentions('What the person can do.'),
    certifications: mentions('Certificates.'),
    courses: mentions('Courses taken.'),
    publications: mentions('Publications.'),
    interests: mentions('Interests.'),
  },
  'What the document says.',
)

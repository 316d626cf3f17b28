//! Writes tables as CSV.

use tiebreak_model::table::{Column, Values};

/// Rows as CSV, with a header line if they are the first. Missing values are empty.
#[must_use]
pub fn csv_of(columns: &[Column<'_>], are_first: bool) -> Vec<u8> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let memory = "memory takes bytes, and every row has the columns of the first";
    if are_first {
        csv.write_record(columns.iter().map(|column| column.name)).expect(memory);
    }
    for row in 0..columns.first().map_or(0, |column| column.values.len()) {
        for column in columns {
            match &column.values {
                Values::Whole(values) => csv.write_field(text(values[row])),
                Values::Number(values) => csv.write_field(text(values[row])),
                Values::Word(values) => csv.write_field(values[row].unwrap_or_default()),
            }
            .expect(memory);
        }
        csv.write_record(None::<&[u8]>).expect(memory);
    }
    csv.into_inner().expect(memory)
}

fn text(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

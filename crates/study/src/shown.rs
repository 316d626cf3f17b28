//! Text, numbers and tables formatted for a terminal.

pub use tiebreak_profile::words::{count, duration};

/// `5 VMs` with the causes that are not zero: `5 VMs: 3 for want of room, 2 out of retries`.
pub fn by_cause(all: String, causes: &[(u64, &str)]) -> String {
    let some = causes.iter().filter(|(vms, _)| *vms > 0).map(|(vms, cause)| format!("{} {cause}", count(*vms)));
    let some: Vec<_> = some.collect();
    if some.is_empty() { all } else { format!("{all}: {}", some.join(", ")) }
}

/// Bytes in a suitable unit.
pub fn bytes(bytes: u64) -> String {
    const KIB: f64 = 1_024.0;
    let bytes = bytes as f64;
    match bytes {
        small if small < KIB => format!("{small} bytes"),
        middle if middle < KIB * KIB => format!("{:.0} KiB", middle / KIB),
        large => format!("{:.1} MiB", large / KIB / KIB),
    }
}

/// A moment of a run: `day 3, 04:05:06`.
pub fn moment(ms: i64) -> String {
    let seconds = ms.max(0) / 1_000;
    let (day, rest) = (seconds / 86_400, seconds % 86_400);
    format!("day {}, {:02}:{:02}:{:02}", day, rest / 3_600, rest / 60 % 60, rest % 60)
}

/// A doc comment as one line.
pub fn one_line(help: &str) -> String {
    help.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text wrapped to lines of at most about 90 characters, each with this indent.
pub fn wrapped(text: &str, indent: &str) -> String {
    const WIDTH: usize = 90;
    let (mut lines, mut line) = (String::new(), String::new());
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines += &format!("{indent}{line}\n");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    lines + &format!("{indent}{line}\n")
}

/// Rows with aligned columns: the first to the left, the others to the right.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let wide = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<_> = (0..columns).map(|column| wide(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::from(" ");
        for (column, cell) in row.iter().enumerate() {
            let space = " ".repeat(widths[column] - cell.chars().count());
            line += &if column == 0 { format!(" {cell}{space}") } else { format!("  {space}{cell}") };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// A number with its sign and three significant digits.
#[must_use]
pub fn signed(value: f64) -> String {
    let size = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    let decimals = usize::try_from(2 - size).unwrap_or(0).min(6);
    format!("{value:+.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        for (number, shown) in [(5, "5 bytes"), (2_048, "2 KiB"), (3 << 20, "3.0 MiB")] {
            assert_eq!(bytes(number), shown);
        }
        assert_eq!(moment(2 * 86_400_000 + 3_723_000), "day 2, 01:02:03");
    }

    #[test]
    fn columns_stand_in_line() {
        let rows = [["rule", "left"], ["BestFit", "5"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(table(&rows), "  rule     left\n  BestFit     5\n");
    }

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!(
            [0.0, 0.012_34, -1.234, 123.4, 12_345.0].map(signed),
            ["+0.00", "+0.0123", "-1.23", "+123", "+12345"]
        );
    }
}

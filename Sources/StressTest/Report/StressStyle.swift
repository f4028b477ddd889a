/// The style sheet of a stress report, for screens, dark or light, and for paper.
enum StressStyle {
    /// The colour of a series, as a variable of the style sheet.
    static func series(_ index: Int) -> String { "var(--s\(index % 8))" }

    static func cause(_ name: String) -> String {
        switch name {
        case "bus": "var(--s1)"
        case "driver": "var(--s4)"
        case "corrupt": "var(--s3)"
        case "exposure": "var(--s5)"
        case "away": "var(--s7)"
        case "computer": "var(--s0)"
        default: "var(--s6)"
        }
    }

    static let ink = "var(--ink)"
    static let faint = "var(--faint)"
    static let good = "var(--good)"
    static let bad = "var(--bad)"

    static let sheet = """
        :root { --paper: #ffffff; --card: #f6f7f9; --ink: #1c2128; --faint: #5d6773; --line: #dfe3e8; --good: #1d7a3d;
          --good-soft: #e3f3e7; --bad: #b3261e; --bad-soft: #fbe9e7; --look: #8a5a00; --look-soft: #fdf1d8;
          --s0: #1f5fa8; --s1: #c2410c; --s2: #2e7d32; --s3: #7e3ba8; --s4: #b58900; --s5: #0f8a8a; --s6: #ad1457; --s7: #6b7280; }
        @media screen and (prefers-color-scheme: dark) { :root { --paper: #12161c; --card: #1b212a; --ink: #e8ebef; --faint: #9aa5b1;
          --line: #303945; --good: #6fd08c; --good-soft: #15321f; --bad: #ff8a80; --bad-soft: #3b1a18; --look: #ffcf70;
          --look-soft: #3a2c0c; --s0: #6cb0ff; --s1: #ff9a5c; --s2: #7bd389; --s3: #c99bf0; --s4: #f0cf5a; --s5: #5fd3d3;
          --s6: #ff8ab8; --s7: #a3adba; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto,
          "Helvetica Neue", sans-serif; }
        main { max-width: 1080px; margin: 0 auto; padding: 28px 24px 60px; }
        header { border-left: 6px solid var(--look); background: var(--look-soft); border-radius: 6px; padding: 20px 26px; }
        header.held { border-color: var(--good); background: var(--good-soft); }
        header.failed { border-color: var(--bad); background: var(--bad-soft); }
        header h1 { margin: 2px 0 6px; font-size: 32px; line-height: 1.15; color: var(--look); }
        header.held h1 { color: var(--good); }
        header.failed h1 { color: var(--bad); }
        .kicker, .meta, small, .quiet, footer, figcaption { color: var(--faint); }
        .kicker { margin: 0; font-size: 13px; letter-spacing: .02em; }
        .lead { margin: 0 0 10px; font-size: 18px; line-height: 1.4; }
        header ul { margin: 0 0 12px; padding-left: 20px; }
        .meta { margin: 0; font-size: 13px; }
        section { margin-top: 38px; }
        h2 { font-size: 20px; margin: 0 0 12px; padding-bottom: 6px; border-bottom: 1px solid var(--line); }
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-size: 14px; }
        th, td { text-align: left; vertical-align: top; padding: 7px 14px 7px 0; border-bottom: 1px solid var(--line); }
        thead th { color: var(--faint); font-weight: 600; font-size: 12.5px; white-space: nowrap; }
        tbody th { font-weight: 600; }
        td div { white-space: nowrap; }
        td.wide { min-width: 16em; overflow-wrap: anywhere; }
        td.wide div { white-space: normal; }
        td.name { min-width: 15em; }
        th.number { text-align: right; white-space: normal; }
        td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        small { display: block; font-size: 12px; font-weight: 400; overflow-wrap: anywhere; }
        .badge { display: inline-block; padding: 1px 9px; border-radius: 10px; font-size: 12.5px; font-weight: 600;
          white-space: nowrap; }
        .badge.held { color: var(--good); background: var(--good-soft); }
        .badge.failed { color: var(--bad); background: var(--bad-soft); }
        .callout { background: var(--bad-soft); border-left: 4px solid var(--bad); padding: 10px 16px; border-radius: 4px;
          margin: 0 0 14px; overflow-wrap: anywhere; }
        figure { margin: 18px 0 0; break-inside: avoid; }
        figure svg { width: 100%; height: auto; display: block; }
        figcaption { font-size: 13px; margin-bottom: 4px; }
        figcaption b { color: var(--ink); font-size: 14.5px; margin-right: 8px; }
        .key { white-space: nowrap; margin-left: 12px; }
        .key i { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 5px; }
        details { margin-top: 16px; }
        summary { cursor: pointer; color: var(--faint); font-size: 14px; margin-bottom: 6px; }
        ul.quiet { font-size: 13.5px; padding-left: 20px; }
        footer { margin-top: 44px; font-size: 13px; border-top: 1px solid var(--line); padding-top: 10px; }
        footer ul { padding-left: 20px; }
        @media print { body { font-size: 12px; } main { max-width: none; padding: 0; } header, .badge, .callout, svg {
          print-color-adjust: exact; -webkit-print-color-adjust: exact; } section { margin-top: 24px; } tr { break-inside: avoid; }
          h2 { break-after: avoid; } }
        @page { margin: 16mm; }
        """
}

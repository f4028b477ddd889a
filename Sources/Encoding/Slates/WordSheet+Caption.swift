import Media

extension WordSheet {
    /// Height of the role's letters as a share of the frame's shorter side, as are the lengths below. At 320×180, the
    /// smallest program size, the letters are 29, 15 and 13 pixels high.
    private static let roleLetters = 0.16
    private static let deviceLetters = 0.085
    private static let complaintLetters = 0.07
    private static let lineGap = 0.02
    private static let padding = 0.06
    /// Distance from the frame's edges to the sheet.
    private static let margin = 0.1

    /// Lays out and draws the words of a slate, each line centred: the role large, the device's name below it, then
    /// what is wrong. The sheet belongs into the middle of the frame, well inside it.
    ///
    /// `nil` where there is no font, memory is short, or the frame is too small for words.
    ///
    /// - Parameters:
    ///   - caption: The words, and the rotation by which players turn the frame.
    ///   - frame: Width × height of the stored frame in pixels.
    convenience init?(_ caption: SlateCaption, in frame: FrameSize) {
        guard let fonts = FontChoice() else { return nil }
        let upright = caption.rotation.swapsSides ? frame.turned : frame
        let unit = Double(min(upright.width, upright.height))
        let (padding, gap) = (Int(unit * Self.padding), Int(unit * Self.lineGap))
        let limit = upright.width - 2 * (Int(unit * Self.margin) + padding)
        let lines = [
            (caption.role, Self.roleLetters, true, 1.0), (caption.device, Self.deviceLetters, false, 0.9),
            (caption.complaint, Self.complaintLetters, false, 0.7),
        ].compactMap { text, letters, isBold, strength in
            WordLine(text, letters: unit * letters, isBold: isBold, limit: limit, fonts: fonts)
                .map { (line: $0, strength: strength) }
        }
        guard let widest = lines.map(\.line.size.width).max() else { return nil }
        let height = lines.map(\.line.size.height).reduce(0, +) + gap * (lines.count - 1)
        let sheet = FrameSize(width: widest + 2 * padding, height: height + 2 * padding)
        guard sheet.width <= upright.width, sheet.height <= upright.height else { return nil }
        self.init(sheet, readAfter: caption.rotation)
        var y = padding
        for (line, strength) in lines {
            draw(line, x: (sheet.width - line.size.width) / 2, y: y, strength: strength)
            y += line.size.height + gap
        }
    }
}

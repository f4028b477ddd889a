/// How Y, Cb and Cr stand for colours: the matrix and the range.
public struct ColorDescription: Sendable, Hashable, Codable {
    /// Coefficients of the luma equation.
    public enum Matrix: String, Sendable, Hashable, Codable {
        /// ITU-R BT.601: Kr 0.299, Kb 0.114. JFIF and webcams use it.
        case bt601
        /// ITU-R BT.709: Kr 0.2126, Kb 0.0722.
        case bt709
    }

    /// The codes of black and white.
    public enum Range: String, Sendable, Hashable, Codable {
        /// Y 16…235, Cb and Cr 16…240.
        case limited
        /// Y, Cb and Cr 0…255.
        case full
    }

    /// The coefficients of the luma equation.
    public let matrix: Matrix
    /// The codes of black and white.
    public let range: Range

    /// Makes a description from a matrix and a range.
    public init(matrix: Matrix, range: Range) {
        self.matrix = matrix
        self.range = range
    }

    /// BT.601 in full range: the colours of the JPEG File Interchange Format (ITU-T T.871).
    public static let jpeg = Self(matrix: .bt601, range: .full)
    /// BT.601 in limited range.
    public static let bt601Limited = Self(matrix: .bt601, range: .limited)
    /// BT.709 in limited range.
    public static let bt709Limited = Self(matrix: .bt709, range: .limited)
}

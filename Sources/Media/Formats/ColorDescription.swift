/// How Y, Cb and Cr stand for colours: the matrix and the range.
public struct ColorDescription: Sendable, Hashable, Codable {
    /// Coefficients of the luma equation.
    public enum Matrix: String, Sendable, Hashable, Codable {
        /// ITU-R BT.601: Kr 0.299, Kb 0.114. What JFIF and webcams mean.
        case bt601
        /// ITU-R BT.709: Kr 0.2126, Kb 0.0722.
        case bt709
    }

    /// Which codes black and white have.
    public enum Range: String, Sendable, Hashable, Codable {
        /// Y 16…235, Cb and Cr 16…240.
        case limited
        /// 0…255.
        case full
    }

    public let matrix: Matrix
    public let range: Range

    public init(matrix: Matrix, range: Range) {
        self.matrix = matrix
        self.range = range
    }

    /// JPEG File Interchange Format (ITU-T T.871): BT.601, full range.
    public static let jpeg = Self(matrix: .bt601, range: .full)
    public static let bt601Limited = Self(matrix: .bt601, range: .limited)
    public static let bt709Limited = Self(matrix: .bt709, range: .limited)
}

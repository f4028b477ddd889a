extension FixedWidthInteger where Self: SignedInteger {
    /// The quotient rounded towards minus infinity, so that a grid goes on evenly below zero.
    ///
    /// - Precondition: `divisor` is above zero.
    func floorDivided(by divisor: Self) -> Self {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension Double {
    /// The nearest value whose magnitude is at most `most`, which is not negative.
    func limited(to most: Double) -> Double { min(max(self, -most), most) }
}

"""Writes principal components and silhouettes by scikit-learn, for the tests of narscope-analysis.

    pip install scikit-learn
    python pca_fixture.py > ../../crates/narscope-analysis/tests/fixtures/scikit_learn.json
"""

import json
import sys

import numpy as np
import sklearn
from sklearn.decomposition import PCA
from sklearn.metrics import silhouette_score


def cloud(rng: np.random.RandomState, points: int, dimensions: int, rank: int) -> np.ndarray:
    """Draws points with decreasing variance along random directions, with a random mean."""
    scales = 0.5 ** np.arange(rank)
    directions = np.linalg.qr(rng.normal(size=(dimensions, rank)))[0]
    cloud = rng.normal(size=(points, rank)) * scales @ directions.T + rng.normal(size=dimensions)
    return cloud.astype(np.float32)


def main() -> None:
    rng = np.random.RandomState(7)
    cases = []
    for points, dimensions, rank in [(40, 6, 6), (12, 20, 11), (60, 9, 4), (2, 5, 1), (7, 7, 6)]:
        x = cloud(rng, points, dimensions, rank)
        pca = PCA(n_components=min(3, rank), svd_solver="full").fit(x.astype(np.float64))
        clusters = np.arange(points) % 3
        cases.append(
            {
                "dimensions": dimensions,
                "points": x.ravel().tolist(),
                "mean": pca.mean_.tolist(),
                "components": pca.components_.tolist(),
                "variances": pca.explained_variance_.tolist(),
                "ratios": pca.explained_variance_ratio_.tolist(),
                "projected": pca.transform(x.astype(np.float64)).tolist(),
                "silhouette": float(silhouette_score(x.astype(np.float64), clusters))
                if points > 3
                else None,
            }
        )
    json.dump({"scikit_learn": sklearn.__version__, "cases": cases}, sys.stdout)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
